// How large a file is, in few letters.

const UNITS = ["B", "KB", "MB", "GB"];

export function sizeOf(bytes) {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** step;
  return `${step && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[step]}`;
}

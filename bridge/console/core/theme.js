// Light or dark: as the system says, until somebody chooses.

const system = matchMedia("(prefers-color-scheme: dark)");

export function followTheme() {
  show();
  system.addEventListener("change", show);
}

// What was chosen: light, dark or system.
export const chosenTheme = () => localStorage.getItem("theme") ?? "system";

export function chooseTheme(name) {
  if (name === "system") localStorage.removeItem("theme");
  else localStorage.setItem("theme", name);
  show();
}

function show() {
  const chosen = chosenTheme();
  document.documentElement.dataset.theme = chosen === "system" ? (system.matches ? "dark" : "light") : chosen;
}

// The short names that agents' icons use, and those that the editor offers.

export const EMOJI = {
  art: "🎨", balance_scale: "⚖️", bar_chart: "📊", bee: "🐝", bell: "🔔", blue_book: "📘", bookmark: "🔖", books: "📚",
  briefcase: "💼", bug: "🐛", bulb: "💡", calendar: "📅", camera: "📷", cat: "🐱", chart_with_upwards_trend: "📈",
  clapper: "🎬", clipboard: "📋", cloud: "☁️", coffee: "☕", compass: "🧭", computer: "💻", detective: "🕵️", dog: "🐶",
  earth_asia: "🌏", eyes: "👀", fire: "🔥", fox_face: "🦊", gear: "⚙️", globe_with_meridians: "🌐", gem: "💎",
  hammer_and_wrench: "🛠️", handshake: "🤝", house: "🏠", key: "🔑", lock: "🔒", loudspeaker: "📢", mag: "🔍", mag_right: "🔎",
  mailbox: "📫", memo: "📝", microphone: "🎤", microscope: "🔬", moneybag: "💰", musical_note: "🎵", newspaper: "📰",
  octopus: "🐙", owl: "🦉", package: "📦", paintbrush: "🖌️", panda_face: "🐼", pencil: "✏️", pencil2: "✏️", phone: "📞",
  pushpin: "📌", robot: "🤖", robot_face: "🤖", rocket: "🚀", scales: "⚖️", scissors: "✂️", scroll: "📜", shield: "🛡️",
  seedling: "🌱", sparkles: "✨", speech_balloon: "💬", star: "⭐", sun_with_face: "🌞", tada: "🎉", technologist: "🧑‍💻",
  telescope: "🔭", test_tube: "🧪", thinking: "🤔", toolbox: "🧰", trophy: "🏆", unicorn: "🦄", white_check_mark: "✅",
  wrench: "🔧", writing_hand: "✍️", zap: "⚡",
};

export const OFFERED = [
  "robot_face", "mag", "memo", "white_check_mark", "bulb", "wrench", "art", "bar_chart", "books", "briefcase", "balance_scale",
  "technologist", "microscope", "compass", "globe_with_meridians", "loudspeaker", "handshake", "rocket", "seedling", "shield",
  "clapper", "newspaper", "moneybag", "calendar", "test_tube", "speech_balloon", "owl", "fox_face", "octopus", "panda_face",
  "sparkles", "star",
];

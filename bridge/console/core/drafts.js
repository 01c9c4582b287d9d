// What was typed and not sent yet, kept for this tab: it survives a reload, and goes with its conversation.

const nameOf = (key) => `draft:${key}`;

export const draftOf = (key) => sessionStorage.getItem(nameOf(key)) ?? "";

export const keepDraft = (key, text) => sessionStorage.setItem(nameOf(key), text);

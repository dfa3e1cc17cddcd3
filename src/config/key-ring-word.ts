/** The first word with which courier starts itself to ask the key ring; who looks for it loads nothing else. */

export const keyRingWord = "__key-ring";

/**
 * What string-width uses of emoji-regex: a pattern for one emoji. The package's own has each of them by its code, and takes
 * ten milliseconds at the first text that is neither plain ASCII nor Chinese; this one takes one.
 */

const emoji = String.raw`(?:\p{Emoji_Modifier_Base}\uFE0F?\p{Emoji_Modifier}?|\p{Emoji_Presentation}\uFE0F?|\p{Emoji}\uFE0F)`;
const joined = String.raw`(?:\u200D(?:${emoji}|\p{Emoji}))*`;
const pattern = new RegExp(
  String.raw`\p{RI}{2}|[#*0-9]\uFE0F?\u20E3|${emoji}(?:[\u{E0020}-\u{E007F}]+|${joined})`,
  "gu",
);

module.exports = () => pattern;

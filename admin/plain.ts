/** Texts of others, without what could move the cursor or turn the line around. */
export const plain = (text: string): string => text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')

/** What goes to a terminal as it is: line ends and tabs stay. */
export const forTerminal = (text: string): string =>
  text.replaceAll(/(?![\n\t]|\r\n)[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')

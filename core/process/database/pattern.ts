/** A pattern of LIKE that finds the text anywhere. */
export const patternOf = (text: string): string => (text === '' ? '%' : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)

/** What stands below the help of a command. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  games-lrs ${line}`).join('\n')}`

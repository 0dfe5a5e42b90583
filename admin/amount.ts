export const number = (value: number | bigint): string => value.toLocaleString('en-US')

/** As `1 statement`, `2,000 statements`. */
export const amount = (value: number | bigint, one: string, many = `${one}s`): string =>
  `${number(value)} ${Number(value) === 1 ? one : many}`

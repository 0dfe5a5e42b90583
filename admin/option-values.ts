import { InvalidArgumentError } from 'commander'

/** Makes a number of an option. @throws InvalidArgumentError */
const wholeNumber =
  (least: number, mostDigits: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && text.length <= mostDigits && Number(text) >= least) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number of ${least} or more.`)
  }
export const upToMillion = wholeNumber(1, 6)
export const fromOne = wholeNumber(1, 9)
export const fromZero = wholeNumber(0, 9)

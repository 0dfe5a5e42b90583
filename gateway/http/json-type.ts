import { invalid, shown } from './failure.ts'

/** Refuses a Content-Type other than JSON in UTF-8. @param name of the header, in the message */
export function checkJsonType(value: string | undefined, name = 'Content-Type', accepted = 'application/json'): void {
  if (value === 'application/json') return
  if (value === undefined) throw invalid(name, `this header is missing; send ${accepted}`)
  const [type = '', ...parameters] = value.toLowerCase().split(';')
  if (type.trim() !== 'application/json') throw invalid(name, `must be ${accepted}, not ${shown(value)}`)
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw invalid(name, 'the charset of JSON is utf-8')
}

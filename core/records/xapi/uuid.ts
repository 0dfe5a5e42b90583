import { at, wrong } from './check.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A UUID in the standard form of RFC 4122, in either case; version and variant are not looked at. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

export function checkUuid(value: unknown, path: string, key: string): asserts value is string {
  if (typeof value !== 'string' || !uuid.test(value)) {
    wrong(value, at(path, key), 'a UUID such as "6f1c2b9e-0d34-4c7a-9a51-3be0c47f1d22"')
  }
}

import { at, checkObject, fail, unknown, wrong } from './check.ts'
import type { StatementRef } from './types.ts'
import { checkUuid } from './uuid.ts'

/** A pointer to another statement, stored or not (xAPI Data 2.4.4.3). */
export function checkStatementRef(value: unknown, path: string): asserts value is StatementRef {
  checkObject(value, path, 'a StatementRef')
  for (const key in value) {
    if (key === 'id') checkUuid(value[key], path, key)
    else if (key !== 'objectType') unknown(path, key, 'a StatementRef', 'objectType and id')
    else if (value[key] !== 'StatementRef') wrong(value[key], at(path, key), '"StatementRef"')
  }
  if (value['objectType'] === undefined) fail(at(path, 'objectType'), 'is missing: must be "StatementRef"')
  if (value['id'] === undefined) fail(at(path, 'id'), 'is missing: a StatementRef needs the UUID of a statement')
}

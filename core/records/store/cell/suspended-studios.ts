import { done, sql, type Database, type Run } from '../../../process/database/database.ts'

const add = sql('suspended_studio_add')`insert into suspended_studio (studio) values ($1) on conflict do nothing`
const remove = sql('suspended_studio_remove')`delete from suspended_studio where studio = $1`
const outdate = sql('credentials_outdate')`update credential set version = version + 1
    where revoked is null and game in (select game from tenant where studio = $1)`

/** Studios whose credentials are refused; for transactions that change the studio, too. */
export function suspendedStudioStore({ run }: Database) {
  return {
    add: (on: Run, studio: number) => done(on(add, [studio])),
    remove: (on: Run, studio: number) => done(on(remove, [studio])),
    /** Makes every core read the studio's credentials again, which it then refuses (docs/adr/0009). */
    outdate: (studio: number, on: Run = run) => done(on(outdate, [studio])),
  }
}

import { unlessReadOnly } from '../../process/database/store-failure.ts'
import { did, done, first, only, sql, type Database, type Run } from '../../process/database/database.ts'
import { useSolution } from './studio-messages.ts'
import { endSessions } from './studio-sessions.ts'

/** An authenticator app of an account. */
export interface Totp {
  readonly secret: Buffer
  /** A code has confirmed it: it counts. */
  readonly isConfirmed: boolean
}

export interface Passkey {
  readonly id: number
  readonly account: number
  /** UUID, for people to name it. */
  readonly passkeyId: string
  /** Its id, which the authenticator has chosen. */
  readonly credential: Buffer
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: string[]
  readonly name: string
  /** Seconds since 1970. */
  readonly created: number
  /** Seconds since 1970; 0: never. */
  readonly lastUsed: number
}

export type NewPasskey = Pick<Passkey, 'credential' | 'publicKey' | 'counter' | 'transports' | 'name'>

/** What proves a second time who signs in. */
export interface Factors {
  readonly totp: boolean
  readonly passkeys: number
  readonly recoveryCodes: number
}

const factors = sql('factors_of_account')`
  select exists (select from totp where account = $1 and confirmed is not null) as totp,
    (select count(*)::int from passkey where account = $1) as passkeys,
    (select count(*)::int from recovery_code where account = $1) as "recoveryCodes"`
const lock = sql('account_lock')`select 1 from account where id = $1 for update`

const readTotp = sql('totp_of_account')`
  select secret, confirmed is not null as "isConfirmed" from totp where account = $1`
// one that was begun within the hour stays, so that the page can be loaded again
const beginTotp = sql('totp_begin')`
  insert into totp as t (account, secret) values ($1, $2) on conflict (account) do update
    set secret = excluded.secret, created = now()
    where t.confirmed is null and t.created < now() - interval '1 hour'`
const confirmTotp = sql('totp_confirm')`update totp set confirmed = now(), step = $3
    where account = $1 and confirmed is null and secret = $2 returning 1`
const acceptStep = sql('totp_accept')`
  update totp set step = $2 where account = $1 and confirmed is not null and step < $2 returning 1`
const removeTotp = sql('totp_remove')`delete from totp where account = $1 returning 1`

const addCodes = sql('recovery_codes_add')`insert into recovery_code (account, hash) select $1, unnest($2::bytea[])`
const removeCodes = sql('recovery_codes_remove')`delete from recovery_code where account = $1`
const useCode = sql('recovery_code_use')`delete from recovery_code where account = $1 and hash = $2 returning 1`

const columns = `id, account, uuid as "passkeyId", credential, public_key as "publicKey", counter::float8 as counter,
  transports, name, extract(epoch from created)::bigint::float8 as created,
  coalesce(extract(epoch from used), 0)::bigint::float8 as "lastUsed"`
const passkeysOf = sql('passkeys_of_account')`
  select ${columns} from passkey where account = $1 order by passkey.created, id`
const passkeyOf = sql('passkey_of_credential')`select ${columns} from passkey where credential = $1`
const addPasskey = sql('passkey_add')`insert into passkey (account, credential, public_key, counter, transports, name)
    values ($1, $2, $3, $4, $5, $6) on conflict (credential) do nothing returning 1`
// a counter that does not grow belongs to a copy; most authenticators do not count and send 0
const usePasskey = sql('passkey_use')`update passkey set counter = $2, used = now()
    where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning 1`
const removePasskey = sql('passkey_remove')`delete from passkey where account = $1 and uuid = $2 returning 1`
const removePasskeys = sql('passkeys_remove')`delete from passkey where account = $1`
const proveSession = sql('studio_session_prove')`update studio_session set proved = now() where hash = $1`

/** The second factors of accounts. */
export function factorStore({ run, essential, transaction }: Database) {
  const read = (account: number, on: Run = run) => only(on<Factors>(factors, [account]))

  /** After the first factor: keeps the recovery codes and ends the sessions that were begun without it. */
  async function afterFirst(on: Run, account: number, session: Buffer, codes: readonly Buffer[]): Promise<boolean> {
    const { totp, passkeys, recoveryCodes } = await read(account, on)
    if (Number(totp) + passkeys === 1) await on(endSessions, [account, session])
    if (recoveryCodes > 0) return false
    await on(addCodes, [account, codes])
    return true
  }

  const afterRemoval = async (on: Run, account: number): Promise<void> => {
    const { totp, passkeys } = await read(account, on)
    if (!totp && passkeys === 0) await on(removeCodes, [account])
  }

  const locked = <T>(account: number, work: (on: Run) => Promise<T>): Promise<T> =>
    transaction(async (on) => {
      await on(lock, [account])
      return work(on)
    })

  return {
    of: (account: number): Promise<Factors> => read(account),

    totpOf: (account: number) => first(run<Totp>(readTotp, [account])),
    /** Keeps a secret that counts once it is confirmed; one of the last hour stays. */
    beginTotp: (account: number, secret: Buffer) => done(run(beginTotp, [account, secret])),
    /** Undefined: there is nothing to confirm. `areNew`: the codes are kept, since there were none. */
    confirmTotp: (
      account: number,
      secret: Buffer,
      step: number,
      session: Buffer,
      codes: readonly Buffer[],
    ): Promise<{ areNew: boolean } | undefined> =>
      locked(account, async (on) => {
        if ((await on(confirmTotp, [account, secret, step])).length === 0) return undefined
        return { areNew: await afterFirst(on, account, session, codes) }
      }),
    /** False: a code of this step, or of a later one, was accepted before. */
    acceptStep: (account: number, step: number) => did(essential(acceptStep, [account, step])),
    /** False: there is none. */
    removeTotp: (account: number): Promise<boolean> =>
      locked(account, async (on) => {
        const isRemoved = (await on(removeTotp, [account])).length === 1
        await afterRemoval(on, account)
        return isRemoved
      }),

    /** False: there is no such code (any more). */
    useCode: (account: number, hash: Buffer) => did(essential(useCode, [account, hash])),
    /** New codes in place of the old ones; false: the account has no second factor. */
    replaceCodes: (account: number, codes: readonly Buffer[]): Promise<boolean> =>
      locked(account, async (on) => {
        const { totp, passkeys } = await read(account, on)
        if (!totp && passkeys === 0) return false
        await on(removeCodes, [account])
        await on(addCodes, [account, codes])
        return true
      }),

    /** The oldest first. */
    passkeysOf: (account: number) => run<Passkey>(passkeysOf, [account]),
    passkey: (credential: Buffer) => first(run<Passkey>(passkeyOf, [credential])),
    /** `full`: the account has `most` already; `taken`: an account has this one already. */
    addPasskey: (
      account: number,
      { credential, publicKey, counter, transports, name }: NewPasskey,
      most: number,
      session: Buffer,
      codes: readonly Buffer[],
    ): Promise<{ areNew: boolean } | 'full' | 'taken'> =>
      locked(account, async (on) => {
        if ((await read(account, on)).passkeys >= most) return 'full'
        const added = await on(addPasskey, [account, credential, publicKey, counter, transports, name])
        return added.length === 0 ? 'taken' : { areNew: await afterFirst(on, account, session, codes) }
      }),
    /** False: its counter did not grow. */
    usePasskey: (id: number, counter: number) => did(essential(usePasskey, [id, counter])),
    /** False: the account has no such passkey. */
    removePasskey: (account: number, passkeyId: string): Promise<boolean> =>
      locked(account, async (on) => {
        const isRemoved = (await on(removePasskey, [account, passkeyId])).length === 1
        await afterRemoval(on, account)
        return isRemoved
      }),

    /** A challenge counts once; false: it was used. @param ends seconds since 1970 */
    spend: (challenge: Buffer, ends: number) => did(essential(useSolution, [challenge, ends])),

    /** Removes all of them, and ends the sessions of the account. Returns how many sessions there were. */
    reset: (account: number): Promise<number> =>
      locked(account, async (on) => {
        for (const query of [removeTotp, removePasskeys, removeCodes]) await on(query, [account])
        return (await on(endSessions, [account, null])).length
      }),

    /** The person of a session has proved again who it is. */
    prove: async (session: Buffer): Promise<void> => {
      await essential(proveSession, [session]).catch(unlessReadOnly)
    },
  }
}

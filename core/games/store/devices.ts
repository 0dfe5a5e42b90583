import type { Device } from '../../../gen/lrs/v1/devices_pb.js'
import { devices as limits } from '../../../shared/limits.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { did, done, first, sql, type Database, type Run } from '../../process/database/database.ts'
import { endSessions } from '../../records/store/cell/ended-sessions.ts'
import { addPlayed, runningSessionsOn, type NewLaunchSession } from './launches.ts'
import { agreedTo, chooseLearner, playedGame, type Chosen, type LearnerChoice } from './learner-choice.ts'

/** What a device gets when it asks with its code. */
export interface Asked {
  readonly allowed: boolean
  readonly denied: boolean
  readonly expired: boolean
  /** It asked too soon after the last time. */
  readonly fast: boolean
}

export interface DeviceStart extends NewLaunchSession {
  /** The game's name in addresses. */
  readonly slug: string
  /** SHA-256 of the code, or of the secret of the device. */
  readonly held: Buffer
  /** With a code: SHA-256 of the new and of the former secret, and the name of the device. */
  readonly traded?: { readonly secret: Buffer; readonly former: Buffer; readonly name: string } | undefined
  /** Keyed hash of the caller's network. */
  readonly network: string
}

/** Whose devices; undefined: anybody's. */
export interface DevicesOf {
  readonly learner?: string | undefined
  readonly game?: string | undefined
  readonly studio?: number | undefined
}

// strangers ask for codes, learners for links: each has room of its own
const add = sql('device_add')`
  insert into device (game, secret_hash, user_code_hash, learner, expires)
    select $1, $2, $3, $4, now() + $5 * interval '1 second'
      where (select count(*) from (select from device
          where game = $1 and expires > now() and (learner is null) = ($4::uuid is null) limit $6) c) < $6
    on conflict do nothing returning 1`
// a second of grace: the network may delay the request before more than this one
const ask = sql('device_ask')`
  with asked as (
      select d.uuid, learner is not null as allowed, denied, expires <= now() as expired,
          coalesce(polled > now() - (wait - 1) * interval '1 second', false) as fast
        from device d join game g on g.id = d.game where secret_hash = $1 and expires is not null and g.slug = $2
        for update of d),
    noted as (update device d set polled = now(), wait = least(wait + case when fast then 5 else 0 end, $3)
      from asked a where d.uuid = a.uuid)
    select allowed, denied, expired, fast from asked`
const waiting = (lock: string) => `select d.uuid as id, g.slug from device d join game g on g.id = d.game
    where d.user_code_hash = $1 and d.expires > now() ${lock}`
const findWaiting = sql('device_waiting')`${waiting('')}`
const lockWaiting = sql('device_lock_waiting')`${waiting('for update of d')}`
const allow = sql('device_allow')`update device set learner = $2, user_code_hash = null where uuid = $1`
const deny = sql('device_deny')`
  update device set denied = true, user_code_hash = null where user_code_hash = $1 and expires > now() returning 1`
const lock = sql('device_lock')`
  select d.uuid as id, d.learner, l.kind = 'invited' as invited
    from device d join learner l on l.uuid = d.learner
    where d.secret_hash = $1 and d.game = $2 and case when $3 then d.expires > now() else d.expires is null end
    for update of d`
// who revokes it meanwhile waits, and then ends the session
const lockInvitation = sql('device_lock_invitation')`
  select from invitation where learner = $1 and revoked is null for share`
const use = sql('device_use')`
  update device set secret_hash = $2, name = coalesce($3, name), expires = null, last_used = now() where uuid = $1`
const replaced = sql('device_replaced')`
  select uuid as id from device where uuid in (
    select uuid from device where secret_hash = $3 and game = $4 and expires is null and uuid <> $2
    union (select uuid from device where learner = $1 and expires is null order by last_used desc offset $5))
    order by uuid for update`
const found = `select d.uuid as id from device d join game g on g.id = d.game
  where d.uuid = $1 and d.expires is null and ($2::uuid is null or d.learner = $2)
    and ($3::uuid is null or g.uuid = $3) and ($4::int is null or g.studio = $4) for update of d`
const lockOf = sql('device_lock_of')`${found}`
const remove = sql('device_remove')`delete from device where uuid = $1`
const listed = `select d.uuid as "deviceId", d.name, floor(extract(epoch from d.created))::float8 as created,
    floor(extract(epoch from d.last_used))::float8 as "lastUsed", l.uuid as "learnerId", l.name as "learnerName"
  from device d join learner l on l.uuid = d.learner`
const ofLearner = sql('device_of_learner')`
  ${listed} where d.learner = $1 and d.expires is null order by d.last_used desc limit $2`
const ofGame = sql('device_of_game')`
  ${listed} where d.game = (select id from game where uuid = $1) and d.expires is null
    order by d.last_used desc limit $2`
const sweepWaiting = sql('device_sweep_waiting')`
  delete from device where uuid = any (array(
    select uuid from device where expires < now() - interval '1 hour' order by expires limit $1)) returning 1`
const sweepUnused = sql('device_sweep_unused')`
  delete from device where uuid = any (array(
    select uuid from device where expires is null and last_used < now() - interval '${limits.unusedDays} days'
      order by last_used limit $1)) returning 1`

/** Installed copies of games that are linked with learners, and those that ask to be. */
export function deviceStore({ run, transaction }: Database) {
  const addCode = (
    on: Run,
    game: number,
    of: { code: Buffer; userCode?: Buffer; learner?: string; seconds: number },
  ): Promise<boolean> =>
    did(on(add, [game, of.code, of.userCode ?? null, of.learner ?? null, of.seconds, limits.codesOfGame]))

  return {
    /** Adds a code that a learner has to allow. */
    askCode: (slug: string, code: Buffer, userCode: Buffer): Promise<'done' | 'no-game' | 'full'> =>
      transaction(async (run) => {
        const game = await playedGame(run, slug)
        if (!game?.devices) return 'no-game'
        return (await addCode(run, game.id, { code, userCode, seconds: limits.codeSeconds })) ? 'done' : 'full'
      }),

    /** Adds the code of a link, which the learner has allowed by making it. False: the game has too many. */
    addLink: (game: number, learner: string, code: Buffer): Promise<boolean> =>
      addCode(run, game, { code, learner, seconds: limits.linkSeconds }),

    /** Which game asks with this code. */
    waiting: (userCode: Buffer) => first(run<{ slug: string }>(findWaiting, [userCode])),

    /** Links the device with a learner. @throws Problem at `consent` */
    allow: (
      userCode: Buffer,
      choice: LearnerChoice,
    ): Promise<Chosen | 'no-code' | 'no-game' | 'no-invitation' | 'no-name'> =>
      transaction(async (run) => {
        const [device] = await run<{ id: string; slug: string }>(lockWaiting, [userCode])
        if (!device) return 'no-code'
        const game = await playedGame(run, device.slug)
        if (!game?.devices) return 'no-game'
        const learner = await chooseLearner(run, game, choice)
        if (typeof learner !== 'string') await run(allow, [device.id, learner.id])
        return learner
      }),

    deny: (userCode: Buffer): Promise<boolean> => did(run(deny, [userCode])),

    /** Notes that a device asks; undefined: the game has no such code. */
    ask: (code: Buffer, slug: string) => first(run<Asked>(ask, [code, slug, limits.codeSeconds])),

    /** Starts a session. A code gives the device a secret. */
    start: (wanted: DeviceStart): Promise<'done' | 'no-game' | 'no-device' | 'no-invitation' | 'not-agreed'> =>
      transaction(async (run) => {
        const { held, traded } = wanted
        const game = await playedGame(run, wanted.slug)
        if (!game?.devices) return 'no-game'
        const [device] = await run<{ id: string; learner: string; invited: boolean }>(lock, [
          held,
          game.id,
          traded !== undefined,
        ])
        if (!device) return 'no-device'
        const { id, learner, invited } = device
        if (invited && !(await did(run(lockInvitation, [learner])))) return 'no-invitation'
        if (!(await agreedTo(run, learner, game))) return 'not-agreed'
        await run(use, [id, traded?.secret ?? held, traded?.name ?? null])
        if (traded)
          for (const old of await run<{ id: string }>(replaced, [
            learner,
            id,
            traded.former,
            game.id,
            limits.ofLearner,
          ]))
            await end(run, old.id)
        await addPlayed(run, wanted, game, { learner, network: invited ? undefined : wanted.network, device: id })
        return 'done'
      }),

    /** Ends a device with its sessions. False: there is none. */
    end: (id: string, { learner, game, studio }: DevicesOf): Promise<boolean> =>
      transaction(async (run) => {
        const [device] = await run<{ id: string }>(lockOf, [id, learner ?? null, game ?? null, studio ?? null])
        if (device) await end(run, device.id)
        return device !== undefined
      }),

    ofLearner: (learner: string) => run<Fields<Device>>(ofLearner, [learner, limits.listed]),
    ofGame: (gameId: string) => run<Fields<Device>>(ofGame, [gameId, limits.listed]),

    /** Deletes codes that are too old, and devices that nobody uses. */
    sweep: async (limit: number): Promise<number> =>
      Math.max((await run(sweepWaiting, [limit])).length, (await run(sweepUnused, [limit])).length),
  }
}

async function end(run: Run, id: string): Promise<void> {
  await endSessions(run, await runningSessionsOn(run, id))
  await done(run(remove, [id]))
}

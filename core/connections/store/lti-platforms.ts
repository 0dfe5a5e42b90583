import type { LtiPlatform as Message, LtiRefusal as RefusalMessage } from '../../../gen/lrs/v1/lti_pb.js'
import { lti as limits } from '../../../shared/limits.ts'
import { did, done, first, seconds, sql, type Database } from '../../process/database/database.ts'
import type { Fields } from '../../process/methods/answer.ts'
import type { PlatformSettings } from '../rules/lti-platform.ts'

export interface Platform extends Fields<Message> {
  readonly school: number
}
export type KeptRefusal = Fields<RefusalMessage>

/** A key with which we sign. */
export interface LtiKey {
  readonly kid: string
  /** Sealed. */
  readonly privateKey: Buffer
}

const view = `p.uuid as "platformId", p.school, p.name, p.issuer, p.client_id as "clientId", p.login_url as "loginUrl",
  p.token_url as "tokenUrl", p.jwks_url as "jwksUrl", p.deployments, p.origins, ${seconds('p.created')} as created
  from lti_platform p`
const list = sql(
  'lti_platform_list',
)`select ${view} where p.school = $1 order by p.created, p.uuid limit ${limits.ofSchool}`
const one = sql('lti_platform_one')`select ${view} where p.school = $1 and p.uuid = $2`
const byId = sql('lti_platform_by_id')`select ${view} join studio s on s.id = p.school
  where p.uuid = $1 and s.suspended is null and s.ended is null`
// more than one: the platform has to say more
const asking = sql('lti_platform_asking')`select ${view} join studio s on s.id = p.school
  where s.uuid = $1 and p.issuer = $2 and ($3 = '' or p.client_id = $3) and ($4 = '' or $4 = any (p.deployments))
    and s.suspended is null and s.ended is null order by p.created limit 2`
const schoolQuery = sql('lti_school')`
  select id, uuid from studio where (uuid = $1 or id = $2) and kind = 'school' and ended is null and suspended is null`
const lockSchool = sql('lti_lock_school')`select from studio where id = $1 for update`
const count = sql('lti_platform_count')`select count(*)::int as there from lti_platform where school = $1`
const add = sql('lti_platform_add')`
  insert into lti_platform (school, issuer, client_id, name, login_url, token_url, jwks_url, deployments, origins)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning uuid as "platformId"`
const change = sql(
  'lti_platform_change',
)`update lti_platform set name = $3, login_url = $4, token_url = $5, jwks_url = $6,
    deployments = $7, origins = $8 where school = $1 and uuid = $2 returning 1`
const remove = sql('lti_platform_remove')`delete from lti_platform where school = $1 and uuid = $2 returning 1`

const addCode = sql('lti_registration_add')`with old as (delete from lti_registration
      where school = $1 and code_hash in (select code_hash from lti_registration where school = $1
        order by until desc offset ${limits.registrations - 1}))
    insert into lti_registration (school, code_hash, until)
      values ($1, $2, now() + interval '${limits.registrationMinutes} minutes')`
const takeCode = sql('lti_registration_take')`
  delete from lti_registration where code_hash = $1 and until > now() returning school`

const refuse = sql('lti_refusal_add')`
  insert into lti_refusal (school, platform, claim, came, expected) values ($1, $2, $3, $4, $5) returning id`
const trim = sql('lti_refusal_trim')`delete from lti_refusal where school = $1 and id <= (select id from lti_refusal
    where school = $1 order by id desc offset ${limits.refusals} limit 1)`
const refusals = sql('lti_refusal_list')`select platform, claim, came, expected, ${seconds('refused')} as refused
  from lti_refusal where school = $1 and refused > now() - interval '${limits.refusalDays} days'
  order by id desc limit ${limits.refusals}`
const sweepRefusals = sql('lti_refusal_sweep')`delete from lti_refusal where id = any (array(select id from lti_refusal
    where refused < now() - interval '${limits.refusalDays} days' order by refused limit $1)) returning 1`

const signing = sql('lti_key_signing')`select kid, private_key as "privateKey" 
  from lti_key where school = $1 and retired is null`
const publicKeys = sql('lti_key_public')`select public_key as key from lti_key
  where school = $1 and (retired is null or retired > now() - interval '${limits.oldKeyHours} hours') order by made desc`
const addKey = sql('lti_key_add')`insert into lti_key (school, kid, private_key, public_key) values ($1, $2, $3, $4)
  on conflict do nothing`
const retire = sql('lti_key_retire')`update lti_key set retired = now() where school = $1 and retired is null`
const sweepKeys = sql('lti_key_sweep')`
  delete from lti_key where retired < now() - interval '${limits.oldKeyHours} hours'`

const valuesOf = ({ name, loginUrl, tokenUrl, jwksUrl, deployments, origins }: PlatformSettings) => [
  name,
  loginUrl,
  tokenUrl,
  jwksUrl,
  [...deployments],
  [...origins],
]

/** Learning platforms of schools, why their launches were refused, and our keys. */
export const ltiPlatformStore = ({ run, transaction }: Database) => ({
  list: (school: number) => run<Platform>(list, [school]),
  /** Undefined: the school has no such platform. */
  one: (school: number, id: string) => first(run<Platform>(one, [school, id])),
  byId: (id: string) => first(run<Platform>(byId, [id])),
  /** The platforms of a school that a login may come from: two at most. */
  asking: (schoolId: string, issuer: string, clientId: string, deployment: string) =>
    run<Platform>(asking, [schoolId, issuer, clientId, deployment]),
  /** A school that may teach. */
  school: (school: string | number) =>
    first(run<{ id: number; uuid: string }>(schoolQuery, typeof school === 'string' ? [school, null] : [null, school])),

  add: (school: number, settings: PlatformSettings): Promise<{ platformId: string } | 'taken' | 'full'> =>
    transaction(async (run) => {
      await run(lockSchool, [school])
      if ((await first(run<{ there: number }>(count, [school])))!.there >= limits.ofSchool) return 'full'
      const values = [school, settings.issuer, settings.clientId, ...valuesOf(settings)]
      return (await first(run<{ platformId: string }>(add, values))) ?? 'taken'
    }),
  /** False: the school has no such platform. */
  change: (school: number, id: string, settings: PlatformSettings) =>
    did(run(change, [school, id, ...valuesOf(settings)])),
  remove: (school: number, id: string) => did(run(remove, [school, id])),

  addCode: (school: number, hash: Buffer) => done(run(addCode, [school, hash])),
  /** The school that made the code, which is over then. */
  takeCode: async (hash: Buffer) => (await first(run<{ school: number }>(takeCode, [hash])))?.school,

  refuse: (school: number, { platform, claim, came, expected }: Omit<KeptRefusal, 'refused'>): Promise<void> =>
    transaction(async (run) => {
      await run(refuse, [school, platform, claim, came, expected])
      await run(trim, [school])
    }),
  refusals: (school: number) => run<KeptRefusal>(refusals, [school]),
  sweepRefusals: async (limit: number) => (await run(sweepRefusals, [limit])).length,

  signing: (school: number) => first(run<LtiKey>(signing, [school])),
  publicKeys: (school: number) => run<{ key: object }>(publicKeys, [school]),
  /** Does nothing when there is a key. @param replace the one before is retired */
  addKey: (school: number, key: LtiKey, publicKey: object, replace: boolean): Promise<void> =>
    transaction(async (run) => {
      if (replace) await run(retire, [school])
      await run(addKey, [school, key.kid, key.privateKey, JSON.stringify(publicKey)])
    }),
  sweepKeys: () => done(run(sweepKeys, [])),
})

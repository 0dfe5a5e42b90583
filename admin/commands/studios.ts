import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { bytes, list, table, time, wordOf } from '../show.ts'

const byAny = { '<studio>': 'id, e-mail address or slug' }
const bySlug = { '<studio>': 'slug of the studio' }
const reviewed = {
  '--changes <number>': {
    about: 'number of the profile that you reviewed, as "reviews list" shows it',
    required: true,
  },
} as const

export const commands = {
  list: command({
    about: 'list every studio, by name',
    examples: ['studios list', "studios list --json | jq -r '.studios[].email'"],
    async run({ accounts }) {
      const found = await accounts.listStudios({})
      const text = table(found.studios, 'There are no studios yet.', {
        name: ({ studio }) => studio!.name,
        slug: ({ studio }) => studio!.slug,
        owner: ({ email }) => email,
        reviewer: ({ reviewer }) => reviewer,
        trusted: ({ trusted }) => trusted,
        games: ({ games }) => games,
        'since (UTC)': ({ created }) => time(created),
      })
      return { json: found, text }
    },
  }),
  show: command({
    about: 'show a studio with its members and games',
    takes: byAny,
    examples: ['studios show blue-fox'],
    async run({ operator }, { studio }) {
      const found = await operator.getStudio({ studio })
      const { name, slug, studioId, created, trusted, suspended, suspendedNote, members, bytes: stored } = found.studio!
      const text = list({
        name,
        slug,
        id: studioId,
        since: time(created),
        suspended: suspended > 0n ? [time(suspended), suspendedNote].filter((part) => part !== '').join('\n') : '',
        trusted,
        members: members.map(({ email, role }) => `${email} (${wordOf(MemberRole, role)})`).join('\n'),
        storage: `${bytes(stored)} of builds, images and documents`,
        games: found.games.map(({ slug, state }) => `${slug} (${wordOf(GameState, state)})`).join('\n') || 'none',
      })
      return { json: found, text }
    },
  }),
  suspend: command({
    about: 'let nobody work for a studio, hide its games and refuse their credentials; its data stays',
    takes: byAny,
    options: { '--note <text>': 'why: its members read it', '--yes': 'do not ask' },
    examples: ['studios suspend blue-fox --note "The logo is not yours"'],
    async run({ operator }, { studio, note = '', yes }, session) {
      await operator.getStudio({ studio })
      await confirmed(session, yes, `Stop all work of ${studio} and refuse the credentials of its games?`)
      await operator.suspendStudio({ studio, suspended: true, note })
      const text = `Suspended: ${studio}. Its data stays; "studios resume" brings all back.`
      return { json: { studio, suspended: true }, text }
    },
  }),
  resume: command({
    about: 'lift the suspension of a studio',
    takes: byAny,
    examples: ['studios resume blue-fox'],
    async run({ operator }, { studio }) {
      await operator.suspendStudio({ studio, suspended: false })
      return { json: { studio, suspended: false }, text: `The suspension of ${studio} is lifted.` }
    },
  }),
  approve: command({
    about: 'accept the changed profile that you reviewed',
    takes: bySlug,
    options: reviewed,
    examples: ['studios approve blue-fox --changes 3'],
    run: (core, { studio, changes }) => decide(core, studio, true, changes, ''),
  }),
  reject: command({
    about: 'reject the changed profile; the accepted one stays public',
    takes: bySlug,
    options: { ...reviewed, '--note <text>': { about: 'what the studio must change', required: true } },
    examples: ['studios reject blue-fox --changes 3 --note "The logo is not yours"'],
    run: (core, { studio, changes, note }) => decide(core, studio, false, changes, note),
  }),
  trusted: command({
    about: "publish changes of a studio's profile and published games without review; builds are still reviewed",
    takes: { '<studio>': 'id, slug, or e-mail address of its owner' },
    options: { '--off': 'review them again' },
    examples: ['studios trusted ann@example.org', 'studios trusted ann@example.org --off'],
    async run({ accounts }, { studio: email, off }) {
      const trusted = !off
      await accounts.setTrusted({ email, trusted })
      const how = trusted ? 'are public at once now' : 'need a review again'
      return { json: { email, trusted }, text: `Changes of ${email} to its profile and published games ${how}.` }
    },
  }),
}

async function decide(core: CoreClient, slug: string, approved: boolean, changes: string, note: string) {
  const { profiles } = await core.games.listReviews({})
  const studioId = profiles.find(({ studio }) => studio!.slug === slug)?.studio!.studioId
  if (studioId === undefined)
    throw new Failed(`No profile of ${JSON.stringify(slug)} waits for a decision: "reviews list" shows all that wait.`)
  const profile = /^\d{1,9}$/.test(changes) ? Number(changes) : 0
  await core.accounts.decideProfile({ studioId, profile, approved, note })
  return { json: { studioId, approved }, text: `${approved ? 'Approved' : 'Rejected'}: the profile of ${slug}.` }
}

import { GameState, type Build } from '../../gen/lrs/v1/games_pb.js'
import { command, type Declared } from '../command.ts'
import { needPersonal } from '../need-personal.ts'
import { bytes, table, time, wordOf } from '../show.ts'

/** What the channels of a game have, for those who push. @param name of the command */
export const builds = (name: string): Declared =>
  command({
    about: 'show which builds the channels of a game have, and uploads under way; needs a personal token',
    takes: { '<game>': 'id or slug (the name in URLs)' },
    examples: [`${name} chess`, `${name} chess --json | jq -r .beta.number`],
    async run(core, { game }, session) {
      needPersonal(session)
      const found = await core.builds.listBuilds({ game })
      const { uploads } = await core.uploads.listUploads({ gameId: found.gameId })
      const rows = [
        ...Object.entries({ live: found.live, staged: found.staged, beta: found.beta }),
        ...found.kept.map((build) => ['kept', build] as const),
      ].filter((row): row is [string, Build] => row[1] !== undefined)
      const text = [
        `${found.slug}: ${wordOf(GameState, found.state)}`,
        table(rows, 'There are no builds yet.', {
          channel: ([channel]) => channel,
          build: ([, build]) => build.number,
          label: ([, build]) => build.version,
          size: ([, build]) => bytes(build.size),
          files: ([, build]) => build.files,
          'uploaded (UTC)': ([, build]) => time(build.created),
        }),
        ...uploads.map(
          ({ fileName, size, expires }) => `Under way: ${fileName}, ${bytes(size)}, until ${time(expires)} UTC`,
        ),
      ].join('\n')
      return { json: found, text }
    },
  })

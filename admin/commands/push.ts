import { localCommand } from '../command.ts'

const portal = 'address of the portal, which takes the file unless the storage is S3 (default: LRS_PORTAL_URL)'

export const push = localCommand({
  about: 'bring a build to a channel of a game, if it changed; needs a personal token with the scope upload',
  takes: {
    '<path>': 'folder with index.html, a zip, or a package to download',
    '<game>': 'id or slug (the name in URLs)',
  },
  options: {
    '--channel <name>': {
      about: 'live: a draft for the next review; beta: for members of the studio, at once',
      choices: ['live', 'beta'],
      default: 'live',
    },
    '--label <version>': 'what people call this build, such as a tag',
    '--notes <text>': 'what is new',
    '--submit': 'submit it for review',
    '--message <text>': 'for the reviewer, with --submit',
    '--desktop': 'the file is a package to download',
    '--portal <url>': portal,
    '--dry-run': 'say what it would send, and send nothing',
  },
  notes:
    'Of a folder it sends only files that no build of the game has. If the channel has the same build, it sends nothing,\n' +
    'with exit code 0. A file .gamesignore in the folder says what to leave out, by patterns such as *.map or sources/.\n' +
    'An upload that was cut off is continued when the same push runs again.',
  examples: [
    'push ./dist chess --channel beta',
    'push ./dist chess --label "$(git describe --tags)" --notes "Level 3 is new" --submit',
    'push ./dist chess --dry-run',
    'push ./dist chess --json | jq -r .outcome',
  ],
  run: async (...asked) => (await import('../push-build.ts')).pushBuild(...asked),
})

// Makes quiz.zip of the game beside: `npm run example`. The same files make the same bytes.
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { ZipFile } from 'yazl'

const files = ['index.html', 'launch.js', 'levels.js', 'quiz.css', 'quiz.js', 'report.js']
const mtime = new Date(Date.UTC(2025, 0, 1))

/** @param changed contents to put in place of those of the files, or beside them; bytes are stored as they are */
export async function buildQuiz(target: string, changed: Record<string, string | Buffer> = {}): Promise<string> {
  const zip = new ZipFile()
  for (const file of files) {
    if (!(file in changed))
      zip.addFile(resolve(import.meta.dirname, file), file, { mtime, mode: 0o100644, forceDosTimestamp: true })
  }
  for (const [file, content] of Object.entries(changed))
    zip.addBuffer(Buffer.from(content as string), file, {
      mtime,
      mode: 0o100644,
      forceDosTimestamp: true,
      compress: typeof content === 'string',
    })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(target))
  return target
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = await buildQuiz(resolve(process.argv[2] ?? `${import.meta.dirname}/quiz.zip`))
  process.stdout.write(`${target} is ready to be uploaded.\n`)
}

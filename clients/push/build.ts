// Makes dist/ of the package games-lrs-push: the commands push and status in one file, without packages, for Node 20.
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const folder = import.meta.dirname
const bundle = await rolldown({ input: join(folder, 'main.ts'), platform: 'node' })
const file = join(resolve(process.argv[2] ?? join(folder, 'dist')), 'games-lrs.js')
await bundle.write({ file, format: 'esm', minify: true, codeSplitting: false })
await bundle.close()

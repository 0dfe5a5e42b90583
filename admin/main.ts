import { run } from './run.ts'

// whoever reads may have seen enough: `… | head`
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = await run(process.argv.slice(2), process.env)

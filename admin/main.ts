import { programOf } from './program.ts'
import { start } from './start.ts'

await start(programOf)

import { ownScripts } from './parts.ts'
import { runSystem } from './run-system.ts'

await runSystem(ownScripts)

// `npm run audit`: asks the registry for known advisories of dependencies. Exit code 0: none, 1: some, 3: no answer.
import { fileURLToPath } from 'node:url'
import { audit } from './audit.ts'

const { good, said } = await audit(fileURLToPath(new URL('../', import.meta.url)))
process.stdout.write(
  good === undefined ? `Not audited: ${said}. Run this where the registry answers it.\n` : `${said}\n`,
)
process.exitCode = good === undefined ? 3 : good ? 0 : 1

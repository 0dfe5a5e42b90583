// Writes docs/README.md.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { contentsPage } from '../portal/guides/contents-page.ts'

writeFileSync(resolve(import.meta.dirname, '..', 'docs', 'README.md'), contentsPage())

// Writes docs/settings.md.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { settingsPage } from '../shared/settings/settings-page.ts'

writeFileSync(resolve(import.meta.dirname, '..', 'docs', 'settings.md'), settingsPage())

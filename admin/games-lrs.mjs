#!/usr/bin/env node
// `./games-lrs …` in the project's folder is a link to this file: the command line on the Node that the project pins, whatever the system's is.
// Plain JavaScript without dependencies: it runs before there are any.
import { fileURLToPath } from 'node:url'

process.argv.splice(2, 0, fileURLToPath(new URL('main.ts', import.meta.url)))
await import('../start/bootstrap.mjs')

import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** How a client is started in its runtime. */
export interface Runtime {
  readonly command: string
  readonly args: readonly string[]
}

export interface ClientUnderTest {
  readonly name: string
  /** Programs that have to be installed; none: the packages of npm suffice. */
  readonly needs: readonly string[]
  /** Made once, before it is started. @param folder for what is made */
  prepare?(folder: string): void
  /** @param folder what `prepare` made */
  start(folder: string): Runtime
}

const clients = resolve(import.meta.dirname, '..')

export const clientsUnderTest: readonly ClientUnderTest[] = [
  {
    name: 'JavaScript in Chromium',
    needs: [],
    start: () => ({ command: process.execPath, args: [join(clients, 'javascript/conformance/driver.ts')] }),
  },
]

/** Programs that this machine does not have. */
export const missing = ({ needs }: ClientUnderTest): string[] =>
  needs.filter((program) => !process.env['PATH']!.split(delimiter).some((folder) => existsSync(join(folder, program))))

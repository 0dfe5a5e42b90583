import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildQuiz } from '../../examples/quiz/build.ts'
import { UploadKind, type Channel } from '../../gen/lrs/v1/uploads_pb.js'
import { createPlayer, type RunningPlayer } from '../../player/app.ts'
import { createPortal, type RunningPortal } from '../../portal/app.ts'
import type { CoreClient } from './core-client.ts'
import { addStudio, type Studio } from './studios.ts'
import { startSystem, tokens, type System, type SystemOptions } from './system.ts'
import { bearer } from './xapi.ts'

export interface PortalSystem extends System {
  readonly portal: RunningPortal
  readonly player: RunningPlayer
  /** Origin of the portal. */
  readonly url: string
  /** Origin of the games. */
  readonly gamesUrl: string
  /** Core with the token of admins. */
  readonly admin: CoreClient
  studio(name: string, options?: { reviewer?: boolean }): Promise<Studio>
  /** The zip of the example quiz. */
  readonly quiz: Buffer
  /** A game with a name, texts and a staged browser build; the quiz, if no other zip is given. */
  draft(studio: Studio, name: string, zip?: Buffer): Promise<string>
  /** The same, approved. */
  publish(studio: Studio, name: string, zip?: Buffer): Promise<{ gameId: string; slug: string }>
  /** Sends a file for a game as a browser does, and finalizes it. */
  upload(
    studio: Studio,
    kind: UploadKind,
    fileName: string,
    bytes: Buffer,
    gameId?: string,
    words?: { channel?: Channel; version?: string; notes?: string },
  ): Promise<string>
}

/**
 * Starts core, gateway, portal and player in this process, on a fresh database and storage.
 * @param apart each build has an origin of its own below the domain of games
 */
export async function startPortalSystem({
  apart = false,
  gamesDomain = 'games.test',
  portalPort = 0,
  ...options
}: SystemOptions & { apart?: boolean; gamesDomain?: string; portalPort?: number } = {}): Promise<PortalSystem> {
  const system = await startSystem(options)
  const { port: corePort, config } = system.cores[0]!
  const { log } = system.cores[0]!
  const shared = {
    host: '127.0.0.1',
    port: 0,
    coreUrl: `http://127.0.0.1:${corePort}`,
    gatewayPort: Number(new URL(system.urls[0]!).port),
    trustProxy: 0,
    xapiUrl: undefined,
    storage: config.storage,
    logLevel: 'error',
    logFormat: 'json',
  } as const
  const player = await createPlayer(
    {
      ...shared,
      serviceToken: tokens.player,
      gamesUrl: apart ? `http://*.${gamesDomain}` : undefined,
      edgeSeconds: 600,
      edgePurgeUrl: undefined,
      edgePurgeToken: undefined,
    },
    { log },
  )
  const portal = await createPortal(
    {
      ...shared,
      port: portalPort,
      serviceToken: tokens.portal,
      gamesUrl: apart ? `http://*.${gamesDomain}:${player.port}` : undefined,
      playerPort: player.port,
      portalUrl: undefined,
    },
    { log },
  )
  const url = `http://127.0.0.1:${portal.port}`
  const folder = await mkdtemp(join(tmpdir(), 'lrs-quiz-'))
  const quiz: Buffer = await readFile(await buildQuiz(join(folder, 'quiz.zip')))

  async function upload(
    studio: Studio,
    kind: UploadKind,
    fileName: string,
    bytes: Buffer,
    gameId = '',
    words: { channel?: Channel; version?: string; notes?: string } = {},
  ): Promise<string> {
    const { uploads } = studio.on()
    const { upload } = await uploads.requestUpload({ gameId, kind, fileName, size: BigInt(bytes.length), ...words })
    const { missing, partSize, uploadId } = upload!
    for (const part of missing) {
      const start = (part.number - 1) * Number(partSize)
      const { status } = await fetch(new URL(part.url, url), {
        method: 'PUT',
        body: new Uint8Array(bytes.subarray(start, start + Number(partSize))),
      })
      if (status >= 300) throw new Error(`part ${part.number}: ${status}`)
    }
    return (await uploads.finalizeUpload({ uploadId })).id
  }

  async function draft(studio: Studio, name: string, zip = quiz): Promise<string> {
    const { games } = studio.on()
    const { gameId } = await games.createGame({ name })
    await games.updateGame({
      gameId,
      name,
      summary: `${name} in one line.`,
      description: `All about ${name}.\n\nAnd more.`,
    })
    await upload(studio, UploadKind.BROWSER_BUILD, 'quiz.zip', zip, gameId)
    return gameId
  }

  return {
    ...system,
    portal,
    player,
    url,
    upload,
    quiz,
    draft,
    gamesUrl: `http://127.0.0.1:${player.port}`,
    admin: system.connections[0]!.as(bearer(tokens.admin)),
    studio: (name, options) => addStudio(system, name, options),
    async publish(studio, name, zip) {
      const gameId = await draft(studio, name, zip)
      const { games } = studio.on()
      await games.submitForReview({ gameId, message: '' })
      const { game } = await games.getGame({ gameId })
      await system.admin.games.decideReview({ gameId, buildId: game!.staged!.buildId, approved: true, note: '' })
      return { gameId, slug: game!.summary!.slug }
    },
    async close() {
      await Promise.all([portal.close(), player.close(), rm(folder, { recursive: true })])
      await system.close()
    },
  }
}

import { launch, temporaryFolder } from '../../start/fixtures/launch.ts'
import type { S3StorageConfig } from '../../storage/config.ts'
import { s3Client } from '../../storage/s3-client.ts'

/** Starts an S3 server with an empty bucket; undefined where Swift is not installed. `endAll` ends it. */
export async function startSwift(): Promise<S3StorageConfig | undefined> {
  const python = '/usr/bin/python3'
  const installed = await launch(python, [
    '-c',
    'import swift.proxy.server, swift.account.server, swift.container.server, swift.obj.server',
  ]).exited.catch(() => 1)
  if (installed !== 0) return undefined
  // it ends when its stdin does, with this process at the latest
  const server = launch(python, [`${import.meta.dirname}/swift-server.py`, temporaryFolder()], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  await server.says(/listening on \d+\n/)
  const port = /listening on (\d+)\n/.exec(server.output())![1]
  const config: S3StorageConfig = {
    kind: 's3',
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'builds',
    region: 'us-east-1',
    accessKey: 'lrs:tests',
    secretKey: 'secret-of-the-tests',
  }
  await s3Client(config).send({ method: 'PUT' })
  return config
}

import { browse } from './browse.ts'
import { follow } from './follow.ts'
import { grow } from './grow.ts'
import type { BrowseJob, FollowJob, GrowJob, Job } from './job.ts'
import { store } from './over-grpc.ts'
import { post, send } from './over-http.ts'
import { query, write } from './over-sql.ts'

/** The load generator, a process of its own: takes one job at a time from its parent and answers the round. */
const stop = { asked: false }

type Work = Job | FollowJob | GrowJob | BrowseJob

process.on('message', (message: Work | 'stop') => {
  if (message === 'stop') stop.asked = true
  else
    run(message).then(
      (result) => process.send!({ result }),
      (error: Error) => process.send!({ error: error.stack ?? error.message }),
    )
})
process.on('disconnect', () => process.exit(1))

function run(job: Work): Promise<unknown> {
  switch (job.kind) {
    case 'post':
      return post(job)
    case 'store':
      return store(job)
    case 'send':
      return send(job)
    case 'query':
      return query(job)
    case 'write':
      return write(job)
    case 'follow':
      return follow(job, stop)
    case 'grow':
      return grow(job)
    case 'browse':
      return browse(job, stop)
  }
}

import { follow } from './follow.ts'
import type { FollowJob, Job } from './job.ts'
import { post, send } from './over-http.ts'
import { query, write } from './over-sql.ts'

/** The load generator, a process of its own: takes one job at a time from its parent and answers the round. */
const stop = { asked: false }

process.on('message', (message: Job | FollowJob | 'stop') => {
  if (message === 'stop') stop.asked = true
  else run(message).then(
    (result) => process.send!({ result }),
    (error: Error) => process.send!({ error: error.stack ?? error.message }),
  )
})
process.on('disconnect', () => process.exit(1))

function run(job: Job | FollowJob): Promise<unknown> {
  switch (job.kind) {
    case 'post':
      return post(job)
    case 'send':
      return send(job)
    case 'query':
      return query(job)
    case 'write':
      return write(job)
    case 'follow':
      return follow(job, stop)
  }
}

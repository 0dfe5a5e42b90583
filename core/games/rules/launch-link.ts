import { devices } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'

/** A scheme, a host and a path, in characters that need no escape. */
const shape = /^([a-z][a-z\d.]*):\/\/([a-z\d][a-z\d.-]*)(?::\d{1,5})?(?:\/[\w./~-]*)?$/i

/** Schemes of browsers and systems, which open something else than a game. */
const notOfGames = new Set(
  (
    'about afp android blob calculator chrome content data dav facetime feed file filesystem ftp ftps geo git gopher ' +
    'http imap intent itms jar javascript jnlp ldap ldaps mailto market nfs news nntp pop rdp resource rtsp sftp shell ' +
    'sip sips skype smb sms ssh steam svn tel telnet tftp urn vbscript vnc vscode webcal ws wss wyciwyg xmpp'
  ).split(' '),
)

/**
 * What opens an installed copy of a game: a scheme of its own, or https. A scheme with `-` or `+` is none of a game:
 * those of Windows start programs (`ms-msdt:`).
 * @throws Problem at `player.launch_link`
 */
export function launchLink(given: string): string {
  const link = given.trim()
  if (link === '') return ''
  const [, scheme = '', host = ''] = (link.length <= devices.link && shape.exec(link)) || []
  const kind = scheme.toLowerCase()
  if (kind === '')
    throw new Problem(
      'player.launch_link',
      `must be a link such as myquiz://play, without ? and #, of at most ${devices.link} characters`,
    )
  if (kind.length < 3 || notOfGames.has(kind))
    throw new Problem('player.launch_link', 'must begin with a scheme of your own, such as myquiz://, or with https://')
  if (kind === 'https' && !/[a-z]$/i.test(host)) throw new Problem('player.launch_link', 'must name a host')
  return link
}

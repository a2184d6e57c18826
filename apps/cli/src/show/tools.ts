import { type Json, quote } from '@treeos/core'
import type { KeptToolServer, ToolServerCheck, ToolServerView } from '@treeos/portal'
import { jsonLine, table } from '../text/output.ts'
import { programName, spelled } from '../text/program-name.ts'

export function shownServers(servers: readonly ToolServerView[]): string {
  if (servers.length === 0) return spelled('no server is named; `treeos tools add` names one')
  return servers
    .map(({ server, at, secrets, ask, tools }) =>
      [
        [
          `${server}   ${at}`,
          ...(secrets.length === 0 ? [] : [`secrets ${secrets.join(', ')}`]),
          ...(ask === null ? [] : [`asks ${namesIn(ask.who)}`]),
        ].join('   '),
        table(
          Object.entries(tools).map(([tool, { digest, accepted, read }]) => [
            `${server}:${tool}`,
            digest.slice(0, 12),
            accepted === null ? '-' : accepted ? 'accepted' : 'not accepted',
            read ? 'a read' : '',
          ]),
          '  ',
        ),
      ].join('\n'),
    )
    .join('\n')
}

const namesIn = (who: Json | undefined): string => (Array.isArray(who) ? who.join(', ') : 'nobody')

/** What a server declares is its own text, so it is quoted. */
export function shownChecks(checks: readonly ToolServerCheck[]): string {
  return checks
    .map(({ server, changes, leftOut, fault }) => {
      if (fault !== null) return `${server}: ${fault}`
      const lines = changes.map(({ tool, part, accepted, now }) =>
        [
          `${server}:${tool}, ${part}:`,
          `  accepted ${accepted === null ? 'nothing' : quotedToolText(accepted)}`,
          `  now      ${now === null ? 'nothing' : quotedToolText(now)}`,
        ].join('\n'),
      )
      const without = Object.entries(leftOut).map(([tool, why]) => `${server}:${tool} cannot be used: ${why}`)
      const said = lines.length === 0 ? [`${server}: as accepted`] : lines
      return [...said, ...without].join('\n')
    })
    .join('\n')
}

const SHOWN_CHARS_MAX = 1000
const quotedToolText = (text: string): string => {
  const short = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text
  return jsonLine(short)
}

export const toldKept = ({ server, accepted, tools, askedBefore }: KeptToolServer): string => {
  const named = Object.keys(tools).map((tool) => `${server}:${tool}`)
  const kept = accepted
    ? `accepted: ${named.join(', ') || 'no tools'}`
    : `${quote(server)} is in the file; once a worker runs, \`${programName()} tools accept ${server}\` accepts ${named.join(', ')}`
  return askedBefore === undefined
    ? kept
    : `${kept}\ncalls of ${server} are asked about no longer; before, ${askedBefore.join(', ')} was asked (--ask ${askedBefore.join(',')})`
}

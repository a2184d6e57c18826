import { quote } from '@treeos/core'
import type { CheckedServer, KeptServer, ServerView } from '../instance/tools.ts'
import { jsonLine, table } from '../text/output.ts'
import { programName, spelled } from '../text/program-name.ts'

export function shownServers(servers: readonly ServerView[]): string {
  if (servers.length === 0) return spelled('no server is named; `treeos tools add` names one')
  return servers
    .map(({ server, at, secrets, ask, tools }) =>
      [
        [
          `${server}   ${at}`,
          ...(secrets.length === 0 ? [] : [`secrets ${secrets.join(', ')}`]),
          ...(ask === null ? [] : [`asks ${ask.who.join(', ')}`]),
        ].join('   '),
        table(
          Object.entries(tools).map(([tool, { digest, accepted }]) => [
            `${server}:${tool}`,
            digest.slice(0, 12),
            accepted === null ? '-' : accepted ? 'accepted' : 'not accepted',
          ]),
          '  ',
        ),
      ].join('\n'),
    )
    .join('\n')
}

/** What a server declares is its own text, so it is quoted. */
export function shownChecks(checks: readonly CheckedServer[]): string {
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

export const toldKept = ({ server, accepted, tools, askedBefore }: KeptServer): string => {
  const named = Object.keys(tools).map((tool) => `${server}:${tool}`)
  const kept = accepted
    ? `accepted: ${named.join(', ') || 'no tools'}`
    : `${quote(server)} is in the file; once a worker runs, \`${programName()} tools accept ${server}\` accepts ${named.join(', ')}`
  return askedBefore === undefined
    ? kept
    : `${kept}\ncalls of ${server} are asked about no longer; before, ${askedBefore.join(', ')} was asked (--ask ${askedBefore.join(',')})`
}

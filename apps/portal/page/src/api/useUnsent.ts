import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from './queries.ts'

const PREFIX = 'treeos-unsent '

/**
 * What somebody has written and not sent. This tab alone keeps it, until it is closed or the person signs
 * out.
 * @param of what the words are about, by a name of its own
 */
export function useUnsent(of: string) {
  const { data: session } = useQuery(sessionQuery)
  const name = `${PREFIX}${session?.stance ?? ''} ${of}`
  return {
    read: (): string => sessionStorage.getItem(name) ?? '',
    write(text: string): void {
      if (text === '') sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, text)
    },
  }
}

/** Who signs in next at this tab finds nothing of what was written. */
export function forgetUnsent(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
}

/** What somebody typed while the words before it were sent. */
export const leftOf = (typed: string, sent: string): string =>
  typed.startsWith(sent) ? typed.slice(sent.length).trimStart() : typed

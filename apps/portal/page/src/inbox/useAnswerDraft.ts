import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'

/** What somebody has written to an entry and not sent. This tab alone keeps it, until it is closed. */
export function useAnswerDraft(correlation: string) {
  const { data: session } = useQuery(sessionQuery)
  const name = `treeos-answer ${session?.stance ?? ''} ${correlation}`
  return {
    read: (): string => sessionStorage.getItem(name) ?? '',
    write(text: string): void {
      if (text === '') sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, text)
    },
  }
}

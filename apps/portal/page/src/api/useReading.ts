import { t } from '../language/index.ts'
import { api } from './client.ts'
import { useDeed } from './deed.ts'

/** As many as the server closes at once. */
const AT_ONCE = 500

export const NOT_READ = t('Not all of it was marked as read.')

/**
 * Marks entries as read, however many. The server leaves what needs a decision, and says so.
 * @throws {Error} when one part is refused; it says how many were marked before
 */
export const useReading = (
  onDone: (told: { readonly closed: number }) => void = () => undefined,
  called: string | null = NOT_READ,
) =>
  useDeed(
    async (entries: readonly string[]) => {
      let closed = 0
      for (let from = 0; from < entries.length; from += AT_ONCE) {
        const json = { how: 'read' as const, entries: entries.slice(from, from + AT_ONCE) }
        const part = await api.inbox.close.$post({ json }).catch((error: Error) => {
          if (closed === 0) throw error
          throw new Error(
            t('{{marked}}, and then: {{message}}', { marked: marked(closed), message: error.message }),
            { cause: error },
          )
        })
        closed += (await part.json()).closed
      }
      return { json: async () => ({ closed }) }
    },
    { stale: ['inbox'], onDone, called },
  )

export const marked = (count: number) => t('{{count}} entries are marked as read', { count })

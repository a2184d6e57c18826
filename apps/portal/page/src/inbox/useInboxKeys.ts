import { useHotkeys } from '@mantine/hooks'
import { isInDialog, takesText, useSingleKeys } from './single-keys.ts'

interface InboxKeys {
  readonly onNext: () => void
  readonly onPrevious: () => void
  readonly onClose: () => void
  readonly onReply: () => void
}

/** In a field the keys write letters, so their default action stays. */
const LEFT = { preventDefault: false }

/**
 * j and k go through the list, e closes what is only read, r goes to the answer. In a field they are letters,
 * and over a dialog nothing.
 */
export function useInboxKeys({ onNext, onPrevious, onClose, onReply }: InboxKeys): void {
  const [isOn] = useSingleKeys()
  const unlessOff =
    (act: () => void, repeats = false) =>
    (event: KeyboardEvent) => {
      if (!isOn || isInDialog(document) || takesText(event.target)) return
      event.preventDefault()
      if (repeats || !event.repeat) act()
    }
  useHotkeys(
    [
      ['j', unlessOff(onNext, true), LEFT],
      ['k', unlessOff(onPrevious, true), LEFT],
      ['e', unlessOff(onClose), LEFT],
      ['r', unlessOff(onReply), LEFT],
    ],
    [], // a checkbox and a tab are inputs, too: `takesText` tells them apart
  )
}

import { useHotkeys } from '@mantine/hooks'
import { isInDialog, useSingleKeys } from './single-keys.ts'

interface Keys {
  readonly onNext: () => void
  readonly onPrevious: () => void
  readonly onClose: () => void
  readonly onReply: () => void
}

/** j and k go through the list, e closes what is only read, r goes to the answer. In a field they are letters, and over a dialog nothing. */
export function useInboxKeys({ onNext, onPrevious, onClose, onReply }: Keys): void {
  const [isOn] = useSingleKeys()
  const unlessOff = (act: () => void) => () => {
    if (isOn && !isInDialog(document)) act()
  }
  useHotkeys([
    ['j', unlessOff(onNext)],
    ['k', unlessOff(onPrevious)],
    ['e', unlessOff(onClose)],
    ['r', unlessOff(onReply)],
  ])
}

import { Switch } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
import { useSingleKeys } from '../parts/single-keys.ts'

/** Which keys do what, and a way to turn them off. */
export function KeysHint() {
  const [isOn, turn] = useSingleKeys()
  return (
    <span className="keys-hint">
      <Switch
        size="xs"
        checked={isOn}
        onChange={(event) => turn(event.currentTarget.checked)}
        label={t('Single keys')}
        labelPosition="left"
      />
      {isOn ? (
        <span className="wide-only">
          <Trans
            text="<key>j</key> next, <key>k</key> previous, <key>r</key> answer, <key>y</key> yes, <key>n</key> no, <key>u</key> undo, <key>e</key> mark as read."
            parts={{ key: <kbd /> }}
          />
        </span>
      ) : null}
    </span>
  )
}

import '@mantine/core/styles.css'
import '@mantine/spotlight/styles.css'
import './page.css'
import {
  Badge,
  createTheme,
  defaultVariantColorsResolver,
  Input,
  MantineProvider,
  Table,
  Textarea,
} from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { newQueryClient } from './api/query-client.ts'
import { styleNonce } from './shell/nonce.ts'
import { createPages } from './shell/pages.tsx'

/** Text on pale badges: dark enough, and in the dark scheme light enough, for WCAG AA. */
const ON_PALE: Readonly<Record<string, string>> = {
  gray: 'light-dark(#434a4f, #ced4da)',
  red: 'light-dark(#9c1c1c, #ffa8a8)',
  orange: 'light-dark(#8a3106, #ffc078)',
  blue: 'light-dark(#14558f, #a5d8ff)',
  leaf: 'light-dark(#164735, #b6d6c7)',
}

const theme = createTheme({
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const color = input.variant === 'light' ? ON_PALE[input.color ?? 'leaf'] : undefined
    return color === undefined ? colors : { ...colors, color }
  },
  primaryColor: 'leaf',
  primaryShade: 7, // white text on it has enough contrast
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Consolas, monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  components: {
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none' } }),
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 4 } }),
    Textarea: Textarea.extend({ defaultProps: { autosize: true } }),
  },
  colors: {
    leaf: [
      '#eef6f2',
      '#dcebe4',
      '#b6d6c7',
      '#8dc0a8',
      '#6bae8e',
      '#559f7d',
      '#479070',
      '#2f6d54',
      '#265a45',
      '#164735',
    ],
  },
})

const queries = newQueryClient()
// Dialogs stop the page behind them from scrolling by a style that a library of Mantine's makes. It reads the nonce here.
Reflect.set(globalThis, '__webpack_nonce__', styleNonce())
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={createPages()} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

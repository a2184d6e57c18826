import '@mantine/core/styles.css'
import '@mantine/spotlight/styles.css'
import './tokens.css'
import './page.css'
import './shell/shell.css'
import './shell/print.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { newQueryClient } from './api/query-client.ts'
import { styleNonce } from './shell/nonce.ts'
import { createPages } from './shell/pages.tsx'
import { theme } from './theme.ts'

const queries = newQueryClient()
// Dialogs stop the page behind them from scrolling by a style that a library of Mantine's makes. It reads the
// nonce here.
Reflect.set(globalThis, '__webpack_nonce__', styleNonce())
const element = document.getElementById('root')
if (element === null) throw new Error('the page has no root')
createRoot(element).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={createPages()} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

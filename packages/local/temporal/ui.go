package main

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	uiapi "github.com/temporalio/ui-server/v2/server/api"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
	"google.golang.org/grpc/metadata"
)

// uiIP is where the UI listens, whatever --ip says: its login crosses the connection in plain text.
const uiIP = loopbackIP

// serveUI serves Temporal's web UI. It uses the parts of the UI server and not its Start, which would listen by itself,
// without a guard before it.
func serveUI(o options, d *doors, frontend string, port int) (*http.Server, error) {
	handler, err := uiHandler(o, d, frontend)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", join(uiIP, port))
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: guarded(handler, d, o.uiHosts), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	return server, nil
}

func uiHandler(o options, d *doors, frontend string) (http.Handler, error) {
	settings := &uiconfig.Config{
		EnableUI: true, HideLogs: true, DisableNewsFetch: true,
		TemporalGRPCAddress: frontend, DefaultNamespace: o.namespace,
		CORS: uiconfig.CORS{CookieInsecure: true}, // plain HTTP on loopback
	}
	if d.frontend != nil {
		settings.TLS = uiconfig.TLS{
			CaFile: filepath.Join(o.tlsDir, caFile), CertFile: filepath.Join(o.tlsDir, clientFile),
			KeyFile: filepath.Join(o.tlsDir, clientKeyFile), ServerName: serverName, EnableHostVerification: true,
		}
	}
	provider, err := uiconfig.NewConfigProviderWithRefresh(settings)
	if err != nil {
		return nil, err
	}
	assets, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	if assets, err = fs.Sub(assets, "local"); err != nil {
		return nil, err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	e.Use(csrf.EnsureTokenCookie(false))
	e.Use(middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, false)))
	forwarded := []uiapi.Middleware{headers.WithForwardHeaders([]string{"Caller-Type"})}
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, provider, forwarded); err != nil {
		return nil, err
	}
	route.SetAuthRoutes(e, provider)
	if err := route.SetUIRoutes(e, "", assets); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "")
	return e, nil
}

// guarded lets in who logs in with the key as password, and calls Temporal with the key in their name. Before that it
// refuses what a page of another site can make a browser send: another Host (DNS rebinding), another Origin, and requests
// that the browser marks as not from this page. An open server has no guard.
func guarded(next http.Handler, d *doors, hosts []string) http.Handler {
	if d.open {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := strangeness(r, hosts); reason != "" {
			http.Error(w, reason, http.StatusForbidden)
			return
		}
		if _, password, _ := r.BasicAuth(); !d.isSecret(password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="Temporal of TreeOS: the password is in temporal/key of the instance's folder", charset="UTF-8"`)
			http.Error(w, "log in with the key of the instance as password", http.StatusUnauthorized)
			return
		}
		token := "Bearer " + d.key
		// The API reads the header; the download of a history calls Temporal with the context alone.
		r = r.WithContext(metadata.AppendToOutgoingContext(r.Context(), "authorization", token))
		r.Header.Set("Authorization", token)
		w.Header().Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}

// strangeness says why a request cannot come from this page or from the address bar; empty when it can.
func strangeness(r *http.Request, hosts []string) string {
	if !isKnownHost(r.Host, hosts) {
		return fmt.Sprintf("unknown host %q", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		parsed, err := url.Parse(origin)
		if err != nil || parsed.Host != r.Host {
			return fmt.Sprintf("unknown origin %q", origin)
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	isLink := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
	if isLink {
		return ""
	}
	return "a request of another site"
}

// isKnownHost looks at the name only: behind a forwarded port the number differs, and a rebound name is never one of these.
func isKnownHost(host string, hosts []string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1", "[::1]"}, name) || slices.Contains(hosts, name)
}

// Package kubernetes is imported by Helm for its version only.
package kubernetes

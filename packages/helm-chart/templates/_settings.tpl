{{- /* True if the chart creates a Secret of keys. It may be empty, so that adding the first key does not roll the pod. */ -}}
{{- define "quarterdeck.hasOwnKeys" -}}
{{- if or .Values.apiKeys.keys (not .Values.apiKeys.secretName) }}true{{ end -}}
{{- end -}}

{{- /* The user's settings, merged with the paths that the chart mounts. Printed as JSON, which is unambiguous YAML. */ -}}
{{- define "quarterdeck.settings" -}}
{{- $files := list -}}
{{- if include "quarterdeck.hasOwnKeys" . -}}
{{- $files = append $files "/etc/quarterdeck/keys/chart/keys" -}}
{{- end -}}
{{- if .Values.apiKeys.secretName -}}
{{- $files = append $files "/etc/quarterdeck/keys/secret/keys" -}}
{{- end -}}
{{- $keys := dict "file" $files -}}
{{- if .Values.bootstrapKey.enabled -}}
{{- $_ := set $keys "bootstrapFile" "/var/lib/quarterdeck/data/first-key" -}}
{{- end -}}
{{- $made := dict "keys" $keys -}}
{{- $clusters := dict -}}
{{- if .Values.kubeconfigs.secretName -}}
{{- $kubeconfigs := list -}}
{{- range .Values.kubeconfigs.entries -}}
{{- $kubeconfigs = append $kubeconfigs (printf "/etc/quarterdeck/kubeconfigs/%s" .) -}}
{{- end -}}
{{- $_ := set $clusters "kubeconfig" $kubeconfigs -}}
{{- end -}}
{{- if .Values.clusterSecret.secretName -}}
{{- $_ := set $clusters "secretFile" (printf "/etc/quarterdeck/cluster-secret/%s" .Values.clusterSecret.entry) -}}
{{- end -}}
{{- if $clusters -}}
{{- $_ := set $made "clusters" $clusters -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $made "server" (dict "tls" (dict "certFile" "/etc/quarterdeck/tls/tls.crt" "keyFile" "/etc/quarterdeck/tls/tls.key")) -}}
{{- end -}}
{{- if .Values.oidc.secretName -}}
{{- $_ := set $made "oidc" (dict "clientSecretFile" (printf "/etc/quarterdeck/oidc/%s" .Values.oidc.entry)) -}}
{{- end -}}
{{- toPrettyJson (mergeOverwrite (deepCopy .Values.settings) $made) -}}
{{- end -}}

{{- /* Rolls the pod when any setting changes, because the server reads its settings only at startup. */ -}}
{{- define "quarterdeck.settingsChecksum" -}}
{{- include "quarterdeck.settings" . | sha256sum -}}
{{- end -}}

{{- /* The grace period of the pod: server.shutdownMs for requests in flight, and 10 s to write and close. */ -}}
{{- define "quarterdeck.graceSeconds" -}}
{{- $server := default dict .Values.settings.server -}}
{{- $shutdownMs := 10000 -}}
{{- if hasKey $server "shutdownMs" -}}{{- $shutdownMs = int64 $server.shutdownMs -}}{{- end -}}
{{- add (div (add $shutdownMs 999) 1000) 10 -}}
{{- end -}}

module otlp-receiver

go 1.24

require (
	go.opentelemetry.io/collector/component v1.45.0
	go.opentelemetry.io/collector/component/componenttest v0.139.0
	go.opentelemetry.io/collector/confmap v1.45.0
	go.opentelemetry.io/collector/consumer v1.45.0
	go.opentelemetry.io/collector/pdata v1.45.0
	go.opentelemetry.io/collector/receiver v1.45.0
	go.opentelemetry.io/collector/receiver/otlpreceiver v0.139.0
)

ALTER TABLE "pages" ADD COLUMN "shot_ref" text;--> statement-breakpoint
ALTER TABLE "pages" ADD COLUMN "rendered" boolean DEFAULT false NOT NULL;